/** Windows over flows and the panes they are made of, as rules about time alone. */
package org.flowmon.udaf.pane;
