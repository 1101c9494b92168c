/**
 * Heavy hitters: the items with most of a sum of weights. Start reading at {@link HeavyHitters}.
 */
package org.flowmon.udaf.frequency;
