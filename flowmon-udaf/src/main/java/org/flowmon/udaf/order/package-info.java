/** The order of rows and groups: sorting, the first of many, and bounds on the first ones. */
@NullMarked
package org.flowmon.udaf.order;

import org.jspecify.annotations.NullMarked;
