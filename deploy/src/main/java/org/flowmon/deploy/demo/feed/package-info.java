/**
 * The sources of a demo's flows, simulated routers or files, their way into Kafka, and the input
 * that was not taken.
 */
@NullMarked
package org.flowmon.deploy.demo.feed;

import org.jspecify.annotations.NullMarked;
