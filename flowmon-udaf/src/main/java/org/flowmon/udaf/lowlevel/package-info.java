/**
 * The low level of live queries, beside the source: flows are filtered, put into panes and reduced
 * in tables of a fixed size, whose groups leave as partial ones. {@link LowLevel} is where to
 * begin.
 */
package org.flowmon.udaf.lowlevel;
