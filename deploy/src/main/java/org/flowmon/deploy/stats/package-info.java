/**
 * flowmon stats: computes statistics of an expression over the flows of an archive, grouped by
 * another.
 */
package org.flowmon.deploy.stats;
