/**
 * flowmon replay: an analysis over the flows of an archive, by a small Flink cluster in this
 * process whose reports the command writes.
 */
package org.flowmon.deploy.replay;
