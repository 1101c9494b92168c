/** Which rows of an archive expire, and when. */
@NullMarked
package org.flowmon.archive.retention;

import org.jspecify.annotations.NullMarked;
