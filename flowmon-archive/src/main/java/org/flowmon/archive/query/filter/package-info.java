/**
 * A query's condition: the columns, times and addresses it depends on, and its evaluation on the
 * dictionaries of a segment.
 */
@NullMarked
package org.flowmon.archive.query.filter;

import org.jspecify.annotations.NullMarked;
