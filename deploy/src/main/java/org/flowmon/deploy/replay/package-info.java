/**
 * flowmon replay: runs an analysis over the flows of an archive on a small Flink cluster in this
 * process; the command writes its reports.
 */
@NullMarked
package org.flowmon.deploy.replay;

import org.jspecify.annotations.NullMarked;
