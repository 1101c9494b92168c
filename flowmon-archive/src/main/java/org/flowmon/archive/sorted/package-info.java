/** Sorted values: searching them, and merging addresses of several streams. */
@NullMarked
package org.flowmon.archive.sorted;

import org.jspecify.annotations.NullMarked;
