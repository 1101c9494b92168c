/** Groups from posting lists, each of which holds the rows of one first key. */
@NullMarked
package org.flowmon.archive.query.group.list;

import org.jspecify.annotations.NullMarked;
