/**
 * Where a demo's flows come from, simulated routers or files, their way into Kafka, and what of
 * them was not taken.
 */
package org.flowmon.deploy.demo.feed;
