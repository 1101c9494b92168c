/**
 * The live path measured whole: a broker of its own process, a filled topic, the job, its reports;
 * and the low level's queries alone.
 */
package org.flowmon.bench.live;
