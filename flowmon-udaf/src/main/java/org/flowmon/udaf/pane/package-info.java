/** Windows over flows and their panes, as rules about time alone. */
package org.flowmon.udaf.pane;
