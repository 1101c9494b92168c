package org.flowmon.deploy.demo;

/** Whether every flow is accounted for, and whether every file was taken wholly. */
public record DemoOutcome(boolean balances, boolean isWhole) {}
