/**
 * The text of queries: its tokens, words that are no names, times and durations as they are
 * written, and errors that name a place in it.
 */
package org.flowmon.udaf.text;
