/** Windows over flows and their panes, as rules about time alone. */
@NullMarked
package org.flowmon.udaf.pane;

import org.jspecify.annotations.NullMarked;
