package org.flowmon.deploy.demo;

/**
 * How a demo ended.
 *
 * @param balances whether every flow is accounted for
 * @param isWhole whether every file was taken wholly
 */
public record DemoOutcome(boolean balances, boolean isWhole) {}
