package org.flowmon.deploy.demo;

/**
 * The outcome of a demo.
 *
 * @param balances whether every flow is accounted for
 * @param isWhole whether every file was taken wholly
 */
public record DemoOutcome(boolean balances, boolean isWhole) {}
