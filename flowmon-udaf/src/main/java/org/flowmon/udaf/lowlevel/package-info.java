/**
 * The low level of live queries, beside the source: flows are filtered, assigned to panes and
 * reduced in tables of a fixed size, whose groups leave as partial groups. Start reading at {@link
 * LowLevel}.
 */
@NullMarked
package org.flowmon.udaf.lowlevel;

import org.jspecify.annotations.NullMarked;
