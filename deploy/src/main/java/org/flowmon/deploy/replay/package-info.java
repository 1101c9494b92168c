/**
 * flowmon replay: runs an analysis over the flows of an archive on a small Flink cluster in this
 * process; the command writes its reports.
 */
package org.flowmon.deploy.replay;
