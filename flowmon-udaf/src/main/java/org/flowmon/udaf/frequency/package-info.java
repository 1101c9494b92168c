/**
 * Heavy hitters: which items have most of a sum of weights. {@link
 * org.flowmon.udaf.frequency.HeavyHitters} is where to begin.
 */
package org.flowmon.udaf.frequency;
