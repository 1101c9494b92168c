/**
 * Files derived from segments. They are <em>runs</em>, each written once and covering some
 * segments. The package decides which run answers for which segment and when runs are merged, for
 * every kind of content.
 */
@NullMarked
package org.flowmon.archive.derived;

import org.jspecify.annotations.NullMarked;
