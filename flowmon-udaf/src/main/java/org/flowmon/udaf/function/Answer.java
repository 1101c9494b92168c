package org.flowmon.udaf.function;

/** The answer of an extractor: one value with its bounds, or a list of items with theirs. */
public sealed interface Answer permits Estimate, Items {}
