/**
 * Count-min sketches of the weights of items, exact counts while items are few, and the bytes of
 * both.
 */
@NullMarked
package org.flowmon.udaf.countmin;

import org.jspecify.annotations.NullMarked;
