/** The codes of columns and their names. */
@NullMarked
package org.flowmon.flow.code;

import org.jspecify.annotations.NullMarked;
