/**
 * The high level of live queries: merges partial groups pane by pane and computes each window's
 * result. Start reading at {@link WindowTables}.
 */
package org.flowmon.udaf.window;
