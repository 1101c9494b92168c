/**
 * The parts of an aggregate function that queries call by name: its call, its two halves, its
 * extractors. Start reading at {@link Udaf}; docs/api.md tells how to write one.
 */
@NullMarked
package org.flowmon.udaf.function;

import org.jspecify.annotations.NullMarked;
