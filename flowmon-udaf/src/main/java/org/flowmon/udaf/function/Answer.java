package org.flowmon.udaf.function;

/** What an extractor gives: one value with its bounds, or a list of items with theirs. */
public sealed interface Answer permits Estimate, Items {}
