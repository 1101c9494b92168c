/**
 * A query's condition: which columns, times and addresses it depends on, and what the dictionaries
 * of a segment decide of it.
 */
package org.flowmon.archive.query.filter;
