/**
 * The text of queries: tokens, reserved words, times and durations, and errors with a place in the
 * text.
 */
@NullMarked
package org.flowmon.udaf.text;

import org.jspecify.annotations.NullMarked;
