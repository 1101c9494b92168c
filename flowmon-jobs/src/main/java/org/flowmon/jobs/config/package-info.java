/** Reads configuration files: YAML whose keys know their places, and errors that name them. */
package org.flowmon.jobs.config;
