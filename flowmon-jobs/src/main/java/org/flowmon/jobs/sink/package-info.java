/**
 * What tasks hand to sinks, whose serializers checkpoints may name, and which reports a sink takes.
 */
package org.flowmon.jobs.sink;
