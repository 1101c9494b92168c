/** Replays in this process: a small Flink cluster of its own, whose reports a command writes. */
package org.flowmon.deploy.replay;
