/**
 * The high level of live queries: merges partial groups pane by pane and computes each window's
 * result. Start reading at {@link WindowTables}.
 */
@NullMarked
package org.flowmon.udaf.window;

import org.jspecify.annotations.NullMarked;
