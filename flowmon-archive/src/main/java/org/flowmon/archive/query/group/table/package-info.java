/** The groups of a partition of rows, by tables or by sorting, and their states by packed key. */
@NullMarked
package org.flowmon.archive.query.group.table;

import org.jspecify.annotations.NullMarked;
