/** The job's configuration: Kafka, archive, PostgreSQL, webhooks, sites, and the job's settings. */
package org.flowmon.jobs.config.job;
