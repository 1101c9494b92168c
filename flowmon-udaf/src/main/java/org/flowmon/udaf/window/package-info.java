/**
 * The high level of live queries: merges partial groups pane by pane and gives each window its
 * result. {@link WindowTables} is where to begin.
 */
package org.flowmon.udaf.window;
