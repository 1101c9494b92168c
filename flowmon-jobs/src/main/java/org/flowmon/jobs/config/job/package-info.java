/** The job's configuration: Kafka, archive, PostgreSQL, webhooks, sites, and the job's settings. */
@NullMarked
package org.flowmon.jobs.config.job;

import org.jspecify.annotations.NullMarked;
