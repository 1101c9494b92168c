/**
 * What an aggregate function that queries call by name is made of: its call, its two halves, what
 * extractors take out. {@link Udaf} is where to begin; docs/api.md tells how to write one.
 */
package org.flowmon.udaf.function;
