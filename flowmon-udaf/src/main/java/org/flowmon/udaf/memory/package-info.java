/** The heap budget of a query, and the draws of its parts on it before they allocate. */
@NullMarked
package org.flowmon.udaf.memory;

import org.jspecify.annotations.NullMarked;
