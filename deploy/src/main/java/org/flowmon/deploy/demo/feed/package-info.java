/**
 * The sources of a demo's flows, simulated routers or files, their way into Kafka, and the input
 * that was not taken.
 */
package org.flowmon.deploy.demo.feed;
