/**
 * Rollups in place of rows: the cells of segments and of days that answer a query, and their
 * grouping.
 */
@NullMarked
package org.flowmon.archive.query.rollup;

import org.jspecify.annotations.NullMarked;
