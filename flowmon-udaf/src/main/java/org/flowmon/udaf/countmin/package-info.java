/**
 * Count-min sketches of the weights of items, exact counts for as long as items are few, and the
 * bytes of both.
 */
package org.flowmon.udaf.countmin;
