/**
 * The job at the centre that merges sites: what they say becomes partial groups of its live
 * queries, in the place of a low level.
 */
package org.flowmon.jobs.site.centre;
