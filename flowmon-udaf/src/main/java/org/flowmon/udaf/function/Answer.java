package org.flowmon.udaf.function;

/** One value with its bounds, or a list of items with theirs. */
public sealed interface Answer permits Estimate, Items {}
