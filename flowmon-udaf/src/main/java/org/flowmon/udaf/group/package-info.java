/**
 * Growing tables of groups: keys, sums and function states, found by hash, and samples of groups if
 * there are too many. Start reading at {@link GroupTable}.
 */
@NullMarked
package org.flowmon.udaf.group;

import org.jspecify.annotations.NullMarked;
