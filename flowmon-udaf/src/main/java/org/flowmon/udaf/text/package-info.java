/**
 * The text of queries: tokens, reserved words, times and durations, and errors with a place in the
 * text.
 */
package org.flowmon.udaf.text;
