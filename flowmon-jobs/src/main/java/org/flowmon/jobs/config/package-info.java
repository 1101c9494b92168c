/**
 * How files of configuration are read: YAML whose keys know where they stand, and errors that say
 * so.
 */
package org.flowmon.jobs.config;
