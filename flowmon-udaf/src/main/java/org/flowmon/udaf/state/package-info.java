/**
 * The two halves of a function at work, a scratchpad at the low level and a growing state at the
 * high level, and the bytes between them.
 */
package org.flowmon.udaf.state;
