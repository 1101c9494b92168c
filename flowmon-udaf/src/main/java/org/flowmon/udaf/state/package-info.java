/**
 * The states of the two halves of a function: a scratchpad at the low level, a growing state at the
 * high level, and the bytes between them.
 */
@NullMarked
package org.flowmon.udaf.state;

import org.jspecify.annotations.NullMarked;
