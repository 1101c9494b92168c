/**
 * The limits of a query, by time, rows, bytes or because nobody waits for it, and the threads that
 * obey them.
 */
@NullMarked
package org.flowmon.archive.query.limit;

import org.jspecify.annotations.NullMarked;
