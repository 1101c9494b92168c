/**
 * The records that tasks hand to sinks, with serializers that checkpoints may name, and the choice
 * of reports for a sink.
 */
package org.flowmon.jobs.sink;
