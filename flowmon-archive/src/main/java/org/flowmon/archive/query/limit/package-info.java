/**
 * When a query has to end, by time, rows, bytes or because nobody waits for it, and the threads
 * that keep to that.
 */
package org.flowmon.archive.query.limit;
